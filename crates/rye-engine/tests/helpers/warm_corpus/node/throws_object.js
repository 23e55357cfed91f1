throw { an: "object" };
