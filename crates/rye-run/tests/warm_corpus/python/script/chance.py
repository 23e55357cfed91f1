import random
import secrets
import uuid
print(len({random.random(), random.SystemRandom().random()}), len(secrets.token_hex(4)), uuid.uuid4().version)
random.seed(5)
print(random.random(), random.getstate()[1][:2])
