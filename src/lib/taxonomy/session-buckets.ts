export const SESSION_BUCKETS = ['15m', '1h', '3h', 'endless'] as const
export type SessionBucket = (typeof SESSION_BUCKETS)[number]
