def main(**params):
    return sorted(params)
