// Loaded before a program: its clock is ahead by MUSTER_TEST_AHEAD_MS.
const aheadMs = Number(process.env.MUSTER_TEST_AHEAD_MS)
const { Date: RealDate } = globalThis

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [RealDate.now() + aheadMs] : parts))
  }

  static now() {
    return RealDate.now() + aheadMs
  }
}
