import contextvars
variable = contextvars.ContextVar("variable", default="unset")
print(variable.get(), list(contextvars.copy_context()))
variable.set("set")
print(contextvars.copy_context().run(variable.get))
