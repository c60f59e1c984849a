const fakes = ["https://front-end.example", "http://localhost:5173"];

/** What the backend takes: the origins of one that runs already, or some of our own. */
export const origins = process.env["CORS_ORIGINS"]?.split(",") ?? fakes;

/** The environment of a backend that is started here. */
export const corsOrigins = { CORS_ORIGINS: origins.join() };
