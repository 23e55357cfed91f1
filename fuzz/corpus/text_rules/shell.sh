#!/bin/bash
# version: 1.0.0
# tool_type: bash
# executor_id: rye/core/runtimes/bash/bash
# tags: a, b
# config: {a: [1, null], b: {c: d}}
# config_schema: {type: object
echo hi
