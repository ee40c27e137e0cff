/** How well the builds of a listing start, from worst to best; unrated: too few devices to say. */
export const HEALTH_BANDS = ['problematic', 'mixed', 'healthy', 'excellent', 'unrated'] as const
export type HealthBand = (typeof HEALTH_BANDS)[number]
