export const INPUTS = ['keyboard_mouse', 'gamepad', 'touch', 'vr', 'motion'] as const
export type Input = (typeof INPUTS)[number]
