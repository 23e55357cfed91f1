use std::path::PathBuf;

use rye_item::{Space, SpaceSettings, Spaces};

use crate::{World, bundle, symlink, with_sources};

/// The paths of the project and of the three spaces.
fn describe(world: &World, settings: &SpaceSettings) -> String {
    match Spaces::open(settings, bundle()) {
        Ok(spaces) => {
            let root = |space| spaces.get(space).map_or("-".into(), |root| root.path().display().to_string());
            let [project, user, system] = Space::ALL.map(root);
            world.filter(&format!("{} | {project} | {user} | {system}", spaces.project().path().display()))
        }
        Err(error) => world.filter(&with_sources(&error)),
    }
}

#[test]
fn the_project_is_the_nearest_folder_with_a_space() {
    let world = World::new();
    std::fs::create_dir_all(world.path("home/project/src/deep")).unwrap();
    let from =
        |start: &str| describe(&world, &SpaceSettings { start: world.path(start), ..world.settings() });
    let found = "~/home/project | ~/home/project/.ai | ~/home/.ai | <bundle>";
    assert_eq!(from("home/project"), found);
    assert_eq!(from("home/project/src/deep"), found);
    std::fs::create_dir_all(world.path("home/project/src/.ai")).unwrap();
    assert_eq!(
        from("home/project/src/deep"),
        "~/home/project/src | ~/home/project/src/.ai | ~/home/.ai | <bundle>"
    );
    assert_eq!(from("home"), "~/home | - | ~/home/.ai | <bundle>", "the home folder is not a project");
    std::fs::create_dir_all(world.path("home/project-evil")).unwrap();
    assert_eq!(from("home/project-evil"), "~/home/project-evil | - | ~/home/.ai | <bundle>");
}

#[test]
fn a_named_project_is_taken_as_it_is() {
    let world = World::new();
    std::fs::create_dir_all(world.path("home/plain")).unwrap();
    let named =
        |project: PathBuf| describe(&world, &SpaceSettings { project: Some(project), ..world.settings() });
    assert_eq!(named(world.path("home/plain")), "~/home/plain | - | ~/home/.ai | <bundle>");
    for name in ["home/project", "home/project/", "home/project/.", "home/./project"] {
        assert_eq!(
            named(world.path(name)),
            "~/home/project | ~/home/project/.ai | ~/home/.ai | <bundle>",
            "{name}"
        );
    }
    assert_eq!(
        named(world.path("nowhere")),
        "cannot use the project space at `~/nowhere`: there is no such folder"
    );
}

#[test]
fn the_user_space_can_be_elsewhere() {
    let world = World::new();
    std::fs::create_dir_all(world.path("other/.ai")).unwrap();
    let moved = |path: &str| {
        describe(&world, &SpaceSettings { user_space: Some(world.path(path)), ..world.settings() })
    };
    let expect = "~/home/project | ~/home/project/.ai | ~/other/.ai | <bundle>";
    assert_eq!(moved("other"), expect);
    assert_eq!(moved("other/.ai"), expect);
    assert_eq!(moved("nowhere"), "~/home/project | ~/home/project/.ai | - | <bundle>");
}

#[test]
fn the_system_space_can_be_a_folder() {
    let world = World::new();
    std::fs::create_dir_all(world.path("system")).unwrap();
    let system = |path: &str| {
        describe(&world, &SpaceSettings { system_space: Some(world.path(path)), ..world.settings() })
    };
    assert_eq!(system("system"), "~/home/project | ~/home/project/.ai | ~/home/.ai | ~/system");
    assert_eq!(system("nowhere"), "cannot use the system space at `~/nowhere`: there is no such folder");
}

#[test]
fn a_projects_space_cannot_be_a_link() {
    let world = World::new();
    std::fs::remove_dir(world.path("home/project/.ai")).unwrap();
    std::fs::create_dir_all(world.path("elsewhere/.ai")).unwrap();
    symlink(world.path("elsewhere/.ai"), world.path("home/project/.ai"));
    assert_eq!(
        describe(&world, &world.settings()),
        "cannot use the project space at `~/home/project/.ai`: a project's `.ai` must be a folder, not a symbolic link"
    );
}
