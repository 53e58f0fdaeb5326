import { lockScreen, wakeAgent } from '@muster/contract/api/power'
import {
  IconClockPlay,
  IconLock,
  IconLogout,
  IconPower,
  IconRotateClockwise,
  IconSunrise,
} from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { unlessAllowed } from '../../app/shell/row-actions.ts'
import type { MenuEntry } from '../../ui/dialog/menu-entry.ts'

interface PowerAgent {
  agent_id: string
  hostname: string
  connected: boolean
}

/** Power and session of a machine, for its menu. */
export function usePowerMenu(): (agent: PowerAgent) => MenuEntry[] {
  const mayReboot = useMay('can_reboot_agents')
  const mayWake = useMay('can_send_wol')
  const { open } = useDialog()
  const wake = useWake()
  const lock = useLock()
  return ({ agent_id, hostname, connected }) => {
    const away = connected ? undefined : `${hostname} is offline.`
    return [
      {
        id: 'wake',
        label: 'Wake up',
        icon: IconSunrise,
        words: 'wake on lan turn on start',
        disabledReason: unlessAllowed(mayWake) ?? (connected ? `${hostname} is online.` : undefined),
        run: () => wake({ agent_id, hostname }),
      },
      {
        id: 'reboot',
        label: 'Reboot now',
        icon: IconRotateClockwise,
        words: 'restart',
        disabledReason: unlessAllowed(mayReboot) ?? away,
        run: () => open('reboot', agent_id),
      },
      {
        id: 'reboot-later',
        label: 'Reboot later',
        icon: IconClockPlay,
        words: 'restart plan',
        disabledReason: unlessAllowed(mayReboot),
        run: () => open('reboot-later', agent_id),
      },
      {
        id: 'lock',
        label: 'Lock screen',
        icon: IconLock,
        disabledReason: unlessAllowed(mayReboot) ?? away,
        run: () => lock({ agent_id, hostname }),
      },
      {
        id: 'sign-out',
        label: 'Sign out user',
        icon: IconLogout,
        words: 'log off log out',
        disabledReason: unlessAllowed(mayReboot) ?? away,
        run: () => open('sign-out', agent_id),
      },
      {
        id: 'shut-down',
        label: 'Shut down',
        icon: IconPower,
        words: 'power off turn off',
        danger: true,
        disabledReason: unlessAllowed(mayReboot) ?? away,
        run: () => open('shut-down', agent_id),
      },
    ]
  }
}

function useLock() {
  return useMutation({
    mutationFn: ({ agent_id }: { agent_id: string; hostname: string }) =>
      call(lockScreen, { params: { agent_id } }),
    onSuccess: (_, { hostname }) => notifyDone(`Screen of ${hostname} locked.`),
  }).mutate
}

function useWake() {
  return useMutation({
    mutationFn: ({ agent_id }: { agent_id: string; hostname: string }) =>
      call(wakeAgent, { params: { agent_id } }),
    onSuccess: ({ sent_by }, { hostname }) =>
      notifyDone(`Wake-up packet for ${hostname} sent by ${sent_by.join(', ')}.`),
  }).mutate
}
