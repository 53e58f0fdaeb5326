import { connectTarget } from '../../../platform/outbound/connect-target.ts'
import { describeOutbound } from '../../../platform/outbound/outbound-error.ts'
import type { MeasuredOf, Reach, SettingsOf } from './server-kind.ts'

export async function measureTcp(
  { host, port }: SettingsOf<'tcp'>,
  reach: Reach,
): Promise<MeasuredOf<'tcp'>> {
  const started = performance.now()
  try {
    const socket = await connectTarget({ host, port, ...reach })
    const ms = performance.now() - started
    socket.destroy()
    return { check_type: 'tcp', reason: '', ms }
  } catch (error) {
    return { check_type: 'tcp', reason: describeOutbound(error), ms: null }
  }
}
