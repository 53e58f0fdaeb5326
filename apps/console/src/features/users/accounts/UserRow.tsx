import { ActionIcon, Button, Menu } from '@mantine/core'
import type { User } from '@muster/contract/api/accounts'
import {
  IconBan,
  IconCrown,
  IconDeviceLaptop,
  IconDots,
  IconFingerprint,
  IconHistory,
  IconKey,
  IconLockOpen,
  IconLink,
  IconShieldOff,
  IconTrash,
} from '@tabler/icons-react'
import { useMe } from '../../../app/api/queries.ts'
import { ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { MenuItems } from '../../../ui/dialog/ContextMenu.tsx'
import { Time } from '../../../ui/layout/Time.tsx'
import { divider, type MenuEntry } from '../../../ui/dialog/menu-entry.ts'
import type { UserAction } from './UserActionDialog.tsx'
import { useDialog } from '../../../app/dialogs/use-dialog.ts'
import { describeRole, fullName } from './user-form.ts'
import classes from './Users.module.css'

interface UserRowProps {
  user: User
  mayEdit: boolean
  onAsk: (what: UserAction) => void
}

/** A user: names, role, and last sign-in. */
export function UserRow({ user, mayEdit, onAsk }: UserRowProps) {
  const { username, email, last_login, last_login_ip } = user
  const isOwn = useMe()?.id === user.id
  const { open } = useDialog()
  const person = [fullName(user), email].filter(Boolean).join(', ')
  return (
    <ListRow
      name={username}
      beside={<Marks user={user} isOwn={isOwn} />}
      tall
      actions={
        mayEdit && user.may_change ? (
          <>
            <Button variant="default" aria-label={`Edit ${username}`} onClick={() => open('user', user.id)}>
              Edit
            </Button>
            <Menu position="bottom-end" withinPortal>
              <Menu.Target>
                <ActionIcon aria-label={`Actions on ${username}`}>
                  <IconDots size={16} stroke={1.75} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <MenuItems entries={entriesFor(user, isOwn, { onAsk, open })} />
              </Menu.Dropdown>
            </Menu>
          </>
        ) : null
      }
    >
      {person !== '' && (
        <RowDetail>
          <bdi>{person}</bdi>
        </RowDetail>
      )}
      <RowDetail>
        <bdi>{describeRole(user)}</bdi>
        {user.totp && ' · two-factor sign-in'}
        {user.passkeys > 0 && (user.passkeys === 1 ? ' · 1 passkey' : ` · ${user.passkeys} passkeys`)}
        {user.sso.length > 0 && ` · signs in with ${user.sso.join(' and ')}`}
        {mayEdit && !user.may_change && ' · more permissions than you'}
      </RowDetail>
      <RowDetail>
        {last_login === null ? (
          'Never signed in'
        ) : (
          <>
            Signed in <Time instant={last_login} relative />
            {last_login_ip !== null && ` from ${last_login_ip}`}
          </>
        )}
      </RowDetail>
    </ListRow>
  )
}

function Marks({ user, isOwn }: { user: User; isOwn: boolean }) {
  return (
    <>
      {isOwn && <span className={classes.mark}>you</span>}
      {user.sso.length > 0 && <span className={classes.mark}>SSO</span>}
      {user.has_all_rights && (
        <span className={classes.mark} data-tone="warning">
          <IconCrown size={14} stroke={1.75} aria-hidden /> superuser
        </span>
      )}
      {user.block_dashboard_login && <span className={classes.mark}>programs only</span>}
      {user.must_change_password && <span className={classes.mark}>must change password</span>}
      {!user.is_active && (
        <span className={classes.mark} data-tone="negative">
          <IconBan size={14} stroke={1.75} aria-hidden /> blocked
        </span>
      )}
    </>
  )
}

const IN_ACCOUNT = 'Use your account menu.'
const AT_PROVIDER = 'The user signs in with a provider.'

function entriesFor(
  user: User,
  isOwn: boolean,
  { onAsk, open }: Pick<UserRowProps, 'onAsk'> & Pick<ReturnType<typeof useDialog>, 'open'>,
): MenuEntry[] {
  const isSso = user.sso.length > 0
  const hasSecond = user.totp || user.passkeys > 0
  const notOwn = (why: string) => ({ disabledReason: isOwn ? why : undefined })
  return [
    {
      id: 'password',
      label: 'Reset password',
      icon: IconKey,
      disabledReason: isSso ? AT_PROVIDER : isOwn ? IN_ACCOUNT : undefined,
      run: () => onAsk('password'),
    },
    {
      id: 'totp',
      label: 'Reset two-factor sign-in',
      icon: IconShieldOff,
      disabledReason: isSso ? AT_PROVIDER : isOwn ? IN_ACCOUNT : hasSecond ? undefined : 'Not set up',
      run: () => onAsk('totp'),
    },
    {
      id: 'passkeys',
      label: 'Passkeys',
      icon: IconFingerprint,
      disabledReason: isSso ? AT_PROVIDER : isOwn ? IN_ACCOUNT : undefined,
      run: () => open('passkeys', user.id),
    },
    { id: 'sessions', label: 'Sessions', icon: IconDeviceLaptop, run: () => onAsk('sessions') },
    { id: 'sign-ins', label: 'Sign-in history', icon: IconHistory, run: () => open('sign-ins', user.id) },
    ...(isSso
      ? [{ id: 'accounts', label: 'Connected accounts', icon: IconLink, run: () => onAsk('accounts') }]
      : []),
    divider('end'),
    user.is_active
      ? {
          id: 'block',
          label: 'Block',
          icon: IconBan,
          danger: true,
          ...notOwn('You cannot block yourself.'),
          run: () => onAsk('block'),
        }
      : { id: 'unblock', label: 'Unblock', icon: IconLockOpen, run: () => onAsk('unblock') },
    {
      id: 'delete',
      label: 'Delete',
      icon: IconTrash,
      danger: true,
      ...notOwn('You cannot delete yourself.'),
      run: () => onAsk('delete'),
    },
  ]
}
