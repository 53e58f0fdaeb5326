import type { CheckKind } from './check-kind.ts'

export const service: CheckKind<'service'> = {
  limitMs: () => 60_000,
  async measure({ settings }, { probes, signal }) {
    const { svc_name, restart_if_stopped } = settings
    const found = await probes.findService(svc_name, signal)
    const isDown = found.state === 'stopped' || found.state === 'failed'
    if (!isDown || !restart_if_stopped) return told(found, false)
    const trouble = await probes.startService(svc_name, signal)
    const after = await probes.findService(svc_name, signal)
    const isUp = after.state === 'running' || after.state === 'start_pending'
    if (isUp) return told(after, true)
    return told({ ...after, detail: `Failed to start: ${trouble ?? after.detail}` }, false)
  },
}

function told({ state, detail }: { state: Told['state']; detail: string }, restarted: boolean): Told {
  return { check_type: 'service', state, restarted, detail: detail.trim().slice(0, 500) }
}

type Told = Awaited<ReturnType<CheckKind<'service'>['measure']>>
