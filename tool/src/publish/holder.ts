import { hostname, userInfo } from "node:os";

/** Who publishes, as others are told. */
export const holderName = () => `${userInfo().username}@${hostname()}`;
