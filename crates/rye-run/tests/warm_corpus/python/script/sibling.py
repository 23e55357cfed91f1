import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/beside")
import helper_module
from helper_package import inner
print(helper_module.word(), inner.WORD, helper_module.__file__.endswith("helper_module.py"), helper_module.__cached__ is None)
