import type { CheckType } from '@muster/contract/agent/checks'
import {
  type Icon,
  IconAppWindow,
  IconCpu,
  IconDatabase,
  IconFile,
  IconFileCode,
  IconServerCog,
  IconStack2,
  IconWifi,
} from '@tabler/icons-react'
import { useDialog } from '../../app/use-dialog.ts'
import { MenuItems } from '../../ui/MenuItems.tsx'
import { TYPE_LABELS } from './check-words.ts'

const TYPE_ICONS: Record<CheckType, Icon> = {
  diskspace: IconDatabase,
  cpuload: IconCpu,
  memory: IconStack2,
  ping: IconWifi,
  service: IconServerCog,
  process: IconAppWindow,
  file: IconFile,
  script: IconFileCode,
}

/** The types of checks, as the lines of a menu. */
export function NewCheckItems({ agentId }: { agentId: string }) {
  const { open } = useDialog()
  // Object.keys forgets the names.
  const types = Object.keys(TYPE_LABELS) as CheckType[]
  return (
    <MenuItems
      entries={types.map((type) => ({
        id: type,
        label: TYPE_LABELS[type],
        icon: TYPE_ICONS[type],
        run: () => open('add-check', `${agentId}.${type}`),
      }))}
    />
  )
}
