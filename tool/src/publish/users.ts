/** Whether an image starts as root. */
export const isRoot = (user: string | undefined) => !user || /^(root|0+)(:|$)/.test(user);

/** The user that a container runs as: the image's own, unless that is root. */
export const userOf = ({ User }: { User?: string }) => (isRoot(User) ? "65532" : (User as string));
