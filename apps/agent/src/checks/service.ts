import type { CheckKind } from './table.ts'

export const service: CheckKind<'service'> = {
  limitMs: () => 60_000,
  async measure({ settings }, { probes, signal }) {
    const { svc_name, restart_if_stopped } = settings
    const found = await probes.findService(svc_name, signal)
    const isDown = found.state === 'stopped' || found.state === 'failed'
    if (!isDown || !restart_if_stopped) return reported(found, false)
    const trouble = await probes.startService(svc_name, signal)
    const after = await probes.findService(svc_name, signal)
    const isUp = after.state === 'running' || after.state === 'start_pending'
    if (isUp) return reported(after, true)
    return reported({ ...after, detail: `Failed to start: ${trouble ?? after.detail}` }, false)
  },
}

function reported(
  { state, detail }: { state: Reported['state']; detail: string },
  restarted: boolean,
): Reported {
  return { check_type: 'service', state, restarted, detail: detail.trim().slice(0, 500) }
}

type Reported = Awaited<ReturnType<CheckKind<'service'>['measure']>>
