export const STATUSES = ['released', 'in_development', 'prototype', 'on_hold', 'cancelled'] as const
export type Status = (typeof STATUSES)[number]
export const STATUS_DEFAULT: Status = 'in_development'
