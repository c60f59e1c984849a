import { hostname, userInfo } from "node:os";

/** The name of the publisher that others see. */
export const holderName = () => `${userInfo().username}@${hostname()}`;
