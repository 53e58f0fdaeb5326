import type { Script, ScriptShell } from '@muster/contract/api/scripts'
import {
  type Icon,
  IconBookmark,
  IconBrandNodejs,
  IconBrandPowershell,
  IconBrandPython,
  IconBrandTypescript,
  IconEyeOff,
  IconPrompt,
  IconStarFilled,
  IconTerminal,
  IconTerminal2,
} from '@tabler/icons-react'
import { WaitingBadge } from './ScriptApproval.tsx'
import classes from './ScriptsDialog.module.css'

const SHELL_ICONS: Record<ScriptShell, Icon> = {
  powershell: IconBrandPowershell,
  cmd: IconPrompt,
  python: IconBrandPython,
  shell: IconTerminal2,
  nushell: IconTerminal,
  deno: IconBrandTypescript,
  node: IconBrandNodejs,
}

export function ShellIcon({ shell }: { shell: ScriptShell }) {
  const ThisIcon = SHELL_ICONS[shell]
  return <ThisIcon size={16} stroke={1.75} aria-hidden className="dim-icon" />
}

/** The name with its icons; on hover its id, which the API uses. */
export function ScriptName({
  script: { id, name, hidden, script_type, server_approval },
}: {
  script: Script
}) {
  return (
    <>
      <bdi className={hidden ? 'dim' : 'strong'} data-tip={`Script ${id}: ${name}`}>
        {name}
      </bdi>
      {script_type === 'builtin' && <Mark icon={IconBookmark} label="Built in" />}
      {hidden && <Mark icon={IconEyeOff} label="Hidden" />}
      {server_approval === 'waiting' && (
        <>
          {' '}
          <WaitingBadge />
        </>
      )}
    </>
  )
}

export function FavoriteMark() {
  return <IconStarFilled size={14} role="img" aria-label="Favourite" className={classes.star} />
}

function Mark({ icon: MarkIcon, label }: { icon: Icon; label: string }) {
  return (
    <span role="img" aria-label={label} data-tip={label} className={classes.mark}>
      <MarkIcon size={14} stroke={1.75} aria-hidden />
    </span>
  )
}
