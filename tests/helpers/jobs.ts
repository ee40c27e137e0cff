import { defineJob } from '../../src/jobs/define.ts'

/** Sleeps on its first attempt only, and records its calls. */
export const sleepyJob = defineJob<{ file: string; sleepMs: number }>('test.sleepy', { maxAttempts: 5 })

export const failingJob = defineJob<{ reason: string }>('test.failing', { maxAttempts: 1 })

export const flakyJob = defineJob<{ id: string }>('test.flaky', { maxAttempts: 5 })
