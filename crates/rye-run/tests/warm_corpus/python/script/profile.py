import cProfile
import io
import pstats
profile = cProfile.Profile()
profile.enable()
sum(range(10))
profile.disable()
out = io.StringIO()
pstats.Stats(profile, stream=out).print_stats(0)
print("function calls" in out.getvalue())
