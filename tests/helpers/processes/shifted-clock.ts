/** Preloaded by processes whose clock is wrong by CLOCK_SHIFT_MS. */
const shift = Number(process.env.CLOCK_SHIFT_MS)
const { now } = Date
const RealDate = Date

class ShiftedDate extends RealDate {
  constructor(...given: [] | [value: number]) {
    if (given.length === 0) super(now() + shift)
    else super(...given)
  }

  static override now(): number {
    return now() + shift
  }
}
globalThis.Date = ShiftedDate as DateConstructor
