export const titlesOfWebhooks = { 401: "Unauthorized" };
