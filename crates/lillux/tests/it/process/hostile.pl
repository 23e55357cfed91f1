# Descendants that do not want to die. The first argument marks them all, so that survivors can be found.
use strict;
use warnings;
use POSIX qw(setsid _exit);

sub close_streams { close $_ for (*STDIN, *STDOUT, *STDERR) }

my @attacks = (
    sub { setsid() },
    sub { # A daemon by the book.
        setsid();
        _exit(0) if fork;
        setsid();
        close_streams();
    },
    sub { # Deaf to every polite signal.
        $SIG{$_} = 'IGNORE' for qw(TERM INT HUP QUIT);
        setsid();
    },
    sub { # Holds the pipe and keeps writing.
        setsid();
        while (1) { syswrite STDOUT, '.'; select undef, undef, undef, 0.005 }
    },
    sub { # Each generation lives for a moment, so that whoever looks for it comes too late.
        for (1 .. 400) {
            _exit(0) if fork;
            setsid();
            close_streams();
            select undef, undef, undef, 0.002;
        }
    },
);

for my $attack (@attacks) {
    next if fork;
    $attack->();
    sleep 1000;
    _exit(0);
}
$SIG{TERM} = 'IGNORE';
syswrite STDOUT, "ready\n";
_exit(0) if grep { $_ eq '--exit' } @ARGV;
sleep 1000;
