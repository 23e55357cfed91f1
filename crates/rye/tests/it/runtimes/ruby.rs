//! Ruby, with what a Gemfile brings.

use serde_json::json;

use super::language::{execute, language, with_perl};

const RUBY: &str = "rye/core/runtimes/ruby/ruby";

#[test]
fn a_gemfile_makes_a_unit() {
    let space = with_perl();
    for runtime in [RUBY, "ruby_runtime"] {
        let unit = space.path("project/.ai/tools/gem");
        space.write("project/.ai/tools/gem/Gemfile", "# Nothing.\n");
        space.write("project/.ai/tools/gem/Gemfile.lock", "DEPENDENCIES\n");
        space.write("project/.ai/tools/gem/at_the_root.rb", "ROOT = 'root'\n");
        space.write("project/.ai/tools/gem/lib/ruby/in_the_library.rb", "LIBRARY = 'library'\n");
        space.write("project/.ai/tools/gem/data/values.json", "{\"value\": 7}");
        space.write("project/.ai/tools/gem/notes.txt", "not part of it");
        let code = "require 'json'\nrequire 'at_the_root'\nrequire 'in_the_library'\nputs JSON.generate(\n  \
            names: [ROOT, LIBRARY], value: JSON.parse(File.read('data/values.json'))['value'],\n  \
            files: Dir.glob('**/*').select { |path| File.file?(path) }.sort,\n  \
            gemfile: File.exist?(ENV.fetch('BUNDLE_GEMFILE')), library: ENV.fetch('RUBYLIB').split(':').map { |path| path[/\\/files.*/] },\n  \
            arguments: ARGV, interpreter: ENV.fetch('RYE_RUBY') == ENV.fetch('KIWI_RUBY'))\n";
        language(runtime).tool(&space, "project", "gem/deep/main", code);
        let report = execute(&space, &["gem/deep/main"]).json();
        assert_eq!(
            report["data"],
            json!({
                "names": ["root", "library"],
                "value": 7,
                "files": ["Gemfile", "Gemfile.lock", "at_the_root.rb", "data/values.json", "deep/main.rb", "lib/ruby/in_the_library.rb"],
                "gemfile": true,
                "library": ["/files", "/files/lib/ruby"],
                "arguments": ["--project-path", space.path("project").to_str().unwrap()],
                "interpreter": true,
            }),
            "{runtime}: {report}"
        );
        std::fs::remove_dir_all(unit).unwrap();
    }
}

#[test]
fn bundler_finds_the_gemfile() {
    let space = with_perl();
    space.write("project/.ai/tools/gem/Gemfile", "source 'https://rubygems.org'\n");
    let lock = "GEM\n  remote: https://rubygems.org/\n  specs:\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n";
    space.write("project/.ai/tools/gem/Gemfile.lock", lock);
    let code = "require 'bundler/setup'\nputs Bundler.default_gemfile == Pathname.new(ENV.fetch('BUNDLE_GEMFILE'))\n";
    language(RUBY).tool(&space, "project", "gem/main", code);
    let report = execute(&space, &["gem/main"]).json();
    assert_eq!(report["data"], true, "{report}");
}

#[test]
fn the_user_has_a_ruby_of_rbenv() {
    let space = with_perl();
    let program = "home/.rbenv/versions/3.3.0/bin/ruby";
    space.write("home/.rbenv/version", "3.3.0\n");
    space.folder("home/.rbenv/versions/3.3.0/bin");
    std::os::unix::fs::symlink("/usr/bin/ruby", space.path(program)).unwrap();
    language("ruby_runtime").tool(&space, "project", "t/which", "puts ENV.fetch('RYE_RUBY')\n");
    let report = execute(&space, &["t/which"]).json();
    assert_eq!(report["data"].as_str().unwrap().trim(), space.path(program).to_str().unwrap());
    language(RUBY).tool(&space, "project", "t/which", "puts ENV.fetch('RYE_RUBY')\n");
    assert_eq!(execute(&space, &["t/which"]).json()["data"], "/usr/bin/ruby\n");
}
