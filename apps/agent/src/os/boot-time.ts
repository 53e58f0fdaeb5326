const STEP_SECONDS = 10
let last = 0

/** Boot time in Unix seconds. Rounded, because clock and uptime are read at different moments. */
export function bootTimeFromUptime(uptimeSeconds: number): number {
  const now = Math.round(Date.now() / 1000 - uptimeSeconds)
  if (Math.abs(now - last) > STEP_SECONDS) last = now
  return last
}
