export const SCAN_STATES = ['clean', 'scanning', 'infected', 'error'] as const
export type ScanState = (typeof SCAN_STATES)[number]
