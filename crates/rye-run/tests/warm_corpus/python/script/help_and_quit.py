print(exit, quit, copyright.__class__, help)
exit(4)
