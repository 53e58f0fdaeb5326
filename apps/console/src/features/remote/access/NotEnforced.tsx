import { Alert } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import type { PlaceRemoteAccess } from '@muster/contract/api/remote-access'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { PlaceLevel } from './access-form.ts'

interface NotEnforcedProps {
  access: Pick<PlaceRemoteAccess, 'name' | 'not_enforced'>
  level: PlaceLevel
}

/** Which machines follow none of this, because their agents do not know it; nothing where all do. */
export function NotEnforced({ access, level }: NotEnforcedProps) {
  const { count, hostnames } = access.not_enforced
  if (count === 0) return null
  const rest = count - hostnames.length
  const title =
    level === 'agent'
      ? `${access.name} does not enforce this`
      : `${count} ${count === 1 ? 'machine does' : 'machines do'} not enforce this`
  return (
    <Alert
      color="warning"
      mb="md"
      title={title}
      icon={<IconAlertTriangle size={18} stroke={1.75} aria-hidden />}
    >
      {count === 1 ? 'Its agent is' : 'Their agents are'} too old to know it: remote tools open there as
      before, at any hour, and nobody is asked. Install the agent anew
      {level === 'agent' ? '.' : ': '}
      {level !== 'agent' && (
        <bdi>
          {hostnames.join(', ')}
          {rest > 0 && ` and ${rest} more`}.
        </bdi>
      )}
    </Alert>
  )
}
