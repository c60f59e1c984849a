const fakes = ["https://front-end.example", "http://localhost:5173"];

/** The backend's origins: those of one that runs already, or fake ones. */
export const origins = process.env["CORS_ORIGINS"]?.split(",") ?? fakes;

/** The environment of a backend that is started here. */
export const corsOrigins = { CORS_ORIGINS: origins.join() };
