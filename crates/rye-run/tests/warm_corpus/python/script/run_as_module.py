import runpy
import sys
print(runpy.run_path(__file__.rsplit("/", 2)[0] + "/beside/helper_module.py")["word"]())
import code
code.InteractiveInterpreter().runsource("print(6 * 7)")
sys.argv = ["json.tool", "--compact"]
runpy.run_module("json.tool", run_name="__main__")
