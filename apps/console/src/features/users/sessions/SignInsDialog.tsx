import { Button } from '@mantine/core'
import {
  listOwnSignIns,
  listUserSignIns,
  MAX_SIGN_INS,
  type SignInFailure,
  type SignInMethod,
  type SignInRecord,
} from '@muster/contract/api/sessions'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { query } from '../../../app/api/api.ts'
import { GuardedDialog, LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { Time } from '../../../ui/layout/Time.tsx'
import { usersQuery } from '../accounts/user-form.ts'
import { describeBrowser } from './describe-browser.ts'
import classes from './SessionsDialog.module.css'

const TITLE = 'Sign-in history'

/** The user's own sign-ins, or with an id those of that user. */
export function SignInsDialog({ item, close }: AddressedDialogProps) {
  if (item === undefined) return <OwnSignIns onClose={close} />
  return (
    <GuardedDialog title={TITLE} needs="can_manage_accounts" onClose={close}>
      <UserSignIns id={Number(item)} onClose={close} />
    </GuardedDialog>
  )
}

function OwnSignIns({ onClose }: { onClose: () => void }) {
  const signIns = useQuery({ ...query(listOwnSignIns, {}), staleTime: 0 })
  return <SignIns title={TITLE} signIns={signIns} onClose={onClose} />
}

function UserSignIns({ id, onClose }: { id: number; onClose: () => void }) {
  const signIns = useQuery({ ...query(listUserSignIns, { params: { id } }), staleTime: 0 })
  const user = useQuery(usersQuery).data?.find((one) => one.id === id)
  const title = user === undefined ? TITLE : `${TITLE} of ${user.username}`
  return <SignIns title={title} signIns={signIns} onClose={onClose} />
}

interface SignInsProps {
  title: string
  signIns: Pick<UseQueryResult<SignInRecord[]>, 'data' | 'error' | 'refetch'>
  onClose: () => void
}

function SignIns({ title, signIns, onClose }: SignInsProps) {
  const { data, error, refetch } = signIns
  return (
    <Dialog
      title={title}
      size="lg"
      onClose={onClose}
      footer={
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} />
      ) : data.length === 0 ? (
        <EmptyState message="No sign-ins yet. Successful and failed ones are listed here." />
      ) : (
        // Focusable, so that the keyboard scrolls it.
        <section aria-label="Sign-ins" tabIndex={0}>
          <ul className={classes.list}>
            {data.map((signIn) => (
              <SignInRow key={signIn.id} signIn={signIn} />
            ))}
          </ul>
          {data.length === MAX_SIGN_INS && (
            <p className={classes.more}>The latest {MAX_SIGN_INS}. The audit log has the older ones.</p>
          )}
        </section>
      )}
    </Dialog>
  )
}

function SignInRow({ signIn }: { signIn: SignInRecord }) {
  const { time, succeeded, reason, method, source, user_agent } = signIn
  const ResultIcon = succeeded ? IconCircleCheck : IconCircleX
  return (
    <li className={classes.row}>
      <div className={classes.text}>
        <div className={classes.result} data-tone={succeeded ? 'positive' : 'negative'}>
          <ResultIcon size={16} stroke={1.75} aria-hidden className="tone-icon" />
          <span className="strong">{succeeded ? 'Signed in' : describeFailure(reason)}</span>
        </div>
        <div className="dim small">
          <Time instant={time} />
          {method !== null && ` · ${METHODS[method]}`}
          {user_agent !== null && ` · ${describeBrowser(user_agent)}`} ·{' '}
          <span className="mono">{source}</span>
        </div>
      </div>
    </li>
  )
}

function describeFailure(reason: SignInFailure | null): string {
  return reason === null ? 'Failed' : `Failed: ${FAILURES[reason]}`
}

const METHODS: Record<SignInMethod, string> = {
  password: 'password',
  code: 'password and code',
  recovery_code: 'password and recovery code',
  passkey: 'passkey',
  provider: 'identity provider',
}

const FAILURES: Record<SignInFailure, string> = {
  wrong_password: 'wrong password',
  wrong_code: 'right password, wrong code',
  used_code: 'right password, but the code was used before',
  wrong_recovery_code: 'right password, but a wrong or used recovery code',
  wrong_passkey: 'the passkey was refused',
  copied_passkey: 'the passkey seems to be a copy',
  blocked: 'the user is blocked',
  programs_only: 'the user is for programs only',
  superusers_only: 'only superusers can sign in without a provider',
}
