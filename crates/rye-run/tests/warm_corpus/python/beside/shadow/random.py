print("shadow of random")
Random = object
