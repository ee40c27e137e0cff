export const NETS = ['offline', 'local', 'online', 'local_online'] as const
export type Net = (typeof NETS)[number]
