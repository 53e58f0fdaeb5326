import { Menu, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconUser } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import classes from './UserMenu.module.css'
import { displayName, useSession } from '../session/session.ts'
import { useDialog } from '../dialogs/use-dialog.ts'

/** The user's own settings, under the user's name. */
export function UserMenu() {
  const session = useSession()
  const name = displayName(session)
  const isSso = session.sso_provider !== null
  const { open } = useDialog()
  const navigate = useNavigate()
  return (
    <Menu position="bottom-end" withinPortal={false} zIndex={150} width={180}>
      <Menu.Target>
        <UnstyledButton className={classes.button} aria-label={`Account of ${name}`}>
          <IconUser size={18} stroke={1.75} aria-hidden className={classes.icon} />
          <span className={classes.name}>{name}</span>
          <IconChevronDown size={14} stroke={1.75} aria-hidden className={classes.chevron} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          onClick={() => void navigate({ to: '/settings/$section', params: { section: 'preferences' } })}
        >
          Preferences
        </Menu.Item>
        <Menu.Divider />
        {!isSso && (
          <>
            <Menu.Item onClick={() => open('reset-password')}>Change password</Menu.Item>
            <Menu.Item onClick={() => open('reset-2fa')}>Set up two-factor again</Menu.Item>
            <Menu.Item onClick={() => open('recovery-codes')}>Recovery codes</Menu.Item>
            <Menu.Item onClick={() => open('passkeys')}>Passkeys</Menu.Item>
          </>
        )}
        <Menu.Item onClick={() => open('sessions')}>Sessions</Menu.Item>
        <Menu.Item onClick={() => open('sign-ins')}>Sign-in history</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void navigate({ to: '/expired' })}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
