export default "companion of modules";
