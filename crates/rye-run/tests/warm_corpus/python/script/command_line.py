import argparse
parser = argparse.ArgumentParser(description="Does it.")
parser.add_argument("--project-path")
parser.add_argument("--wrong", required=True)
parser.parse_args()
