module.exports = "companion";
