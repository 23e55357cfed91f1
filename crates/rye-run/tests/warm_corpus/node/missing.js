require("./no-such-file");
