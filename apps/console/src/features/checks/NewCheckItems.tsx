import { Menu } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { CheckType } from '@muster/contract/api/checks'
import {
  type Icon,
  IconAddressBook,
  IconAppWindow,
  IconCpu,
  IconDatabase,
  IconFile,
  IconFileCode,
  IconLogs,
  IconPlugConnected,
  IconServerCog,
  IconStack2,
  IconWifi,
  IconWorld,
} from '@tabler/icons-react'
import { MenuItems } from '../../ui/dialog/ContextMenu.tsx'
import { TYPE_LABELS, isFromServer, isOfPlatform } from './check-labels.ts'

const TYPE_ICONS: Record<CheckType, Icon> = {
  diskspace: IconDatabase,
  cpuload: IconCpu,
  memory: IconStack2,
  ping: IconWifi,
  service: IconServerCog,
  process: IconAppWindow,
  file: IconFile,
  eventlog: IconLogs,
  journal: IconLogs,
  http: IconWorld,
  tcp: IconPlugConnected,
  dns: IconAddressBook,
  script: IconFileCode,
}

interface NewCheckItemsProps {
  /** System of the machine; absent = any. */
  plat?: AgentDetail['plat']
  onPick: (type: CheckType) => void
}

/** The check types that a machine can have, as menu items. */
export function NewCheckItems({ plat, onPick }: NewCheckItemsProps) {
  // Object.keys loses the key types.
  const types = (Object.keys(TYPE_LABELS) as CheckType[]).filter(
    (type) => plat === undefined || isOfPlatform(type, plat),
  )
  const entriesOf = (some: CheckType[]) =>
    some.map((type) => ({
      id: type,
      label: TYPE_LABELS[type],
      icon: TYPE_ICONS[type],
      run: () => onPick(type),
    }))
  return (
    <>
      <Menu.Label>On the machine</Menu.Label>
      <MenuItems entries={entriesOf(types.filter((type) => !isFromServer(type)))} />
      <Menu.Divider />
      <Menu.Label>From the server</Menu.Label>
      <MenuItems entries={entriesOf(types.filter(isFromServer))} />
    </>
  )
}
