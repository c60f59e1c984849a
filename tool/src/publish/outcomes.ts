/** How a release that failed has ended. */
export const outcomes = {
  unchanged: "Nothing was changed.",
  rolled_back: "The previous release is live again.",
  rollback_failed: "The previous release may not be serving: see dory status.",
};
