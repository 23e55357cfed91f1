import os
print(os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid(), os.getuid(), os.getgid(), os.getgroups())
print([line for line in open("/proc/self/status") if line.startswith(("Cap", "NoNewPrivs", "Seccomp:", "Threads", "SigP", "SigB", "SigI", "SigC"))])
