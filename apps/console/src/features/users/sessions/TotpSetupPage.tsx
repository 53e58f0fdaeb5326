import { Anchor, Button, Group } from '@mantine/core'
import { confirmTotp, setupTotp } from '@muster/contract/api/sessions'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import qrcode from 'qrcode-generator'
import { useMemo, useRef, useState } from 'react'
import { MessagePage } from '../../../app/shell/MessagePage.tsx'
import { call, query } from '../../../app/api/api.ts'
import { describeError } from '../../../app/api/describe-error.ts'
import { meQuery } from '../../../app/api/queries.ts'
import { CopyText } from '../../../ui/inputs/CopyText.tsx'
import { ErrorState, SkeletonRows } from '../../../ui/layout/States.tsx'
import { AddPasskeyDialog } from '../passkeys/PasskeyForms.tsx'
import { whyNoPasskeys } from '../passkeys/browser-passkeys.ts'
import { CodeForm } from './PasswordForm.tsx'
import { RecoveryCodeList } from './RecoveryCodes.tsx'
import classes from './TotpSetupPage.module.css'
import { useOpenNext } from './use-open-next.ts'

/** Shows the key for an authenticator app, asks for a first code as proof, and shows the recovery codes. */
export function TotpSetupPage() {
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes === undefined) return <SetUp onConfirmed={setCodes} />
  return <SaveCodes codes={codes} />
}

/** The recovery codes, once: the session goes on. */
function SaveCodes({ codes }: { codes: readonly string[] }) {
  const openNext = useOpenNext()
  return (
    <MessagePage title="Save your recovery codes" wide>
      <p>
        Two-factor sign-in is set up. Each code signs you in once, without the authenticator app. Codes are
        not shown again: keep them where you find them without this machine.
      </p>
      <RecoveryCodeList codes={codes} />
      <Group>
        <Button size="sm" data-autofocus onClick={() => void openNext()}>
          Continue
        </Button>
      </Group>
    </MessagePage>
  )
}

function SetUp({ onConfirmed }: { onConfirmed: (codes: readonly string[]) => void }) {
  // A POST that changes nothing once a key exists: sent once, and never cached beyond this page.
  const { data, error, refetch } = useQuery({ ...query(setupTotp, {}), gcTime: 0, staleTime: Infinity })
  if (error !== null) {
    return (
      <MessagePage title="Two-factor sign-in" wide>
        <ErrorState {...describeError(error)} onRetry={() => void refetch()} />
        <Leave />
      </MessagePage>
    )
  }
  if (data === undefined) {
    return (
      <MessagePage title="Two-factor sign-in" wide>
        <SkeletonRows rows={4} />
      </MessagePage>
    )
  }
  if (data === false) {
    return (
      <MessagePage title="Two-factor sign-in">
        <p>Two-factor sign-in is already set up. Reset it in your account menu first.</p>
        <Button component={Link} to="/" size="sm">
          Go to the dashboard
        </Button>
      </MessagePage>
    )
  }
  return (
    <MessagePage title="Set up two-factor sign-in" wide>
      <p>
        Scan the code with an authenticator app, or type the key into it. Then enter the six digits that the
        app shows; from then on a sign-in needs your password and a code.
      </p>
      <div className={classes.key}>
        <QrCode text={data.qr_url} label="QR code for your authenticator app" />
        <div className={classes.text}>
          <span className="dim small">Key for {data.username}</span>
          <CopyText text={data.totp_key} label="Copy the key" shown={inGroups(data.totp_key)} />
        </div>
      </div>
      <ConfirmCode onConfirmed={onConfirmed} />
      <PasskeyInstead />
      <Leave />
    </MessagePage>
  )
}

function ConfirmCode({ onConfirmed }: { onConfirmed: (codes: readonly string[]) => void }) {
  const queryClient = useQueryClient()
  const confirm = async (twofactor: string) => {
    const { recovery_codes } = await call(confirmTotp, { body: { twofactor } })
    onConfirmed(recovery_codes)
    // Requests that were refused until now succeed.
    await queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
  }
  return <CodeForm send={confirm} submitLabel="Confirm" />
}

/** A passkey is a second factor too. */
function PasskeyInstead() {
  const [isAsking, setAsking] = useState(false)
  const isAdded = useRef(false)
  const openNext = useOpenNext()
  const close = () => (isAdded.current ? void openNext() : setAsking(false))
  if (whyNoPasskeys() !== undefined) return null
  return (
    <>
      <Button variant="default" size="sm" onClick={() => setAsking(true)}>
        Add a passkey instead
      </Button>
      {isAsking && (
        <AddPasskeyDialog
          onAdded={() => {
            isAdded.current = true
          }}
          onClose={close}
        />
      )}
    </>
  )
}

/** Ways out: later, if allowed, or sign-out. */
function Leave() {
  const openNext = useOpenNext()
  const { data: me } = useQuery(meQuery)
  return (
    <Group justify="space-between">
      {me?.totp_may_wait === true ? (
        <Button variant="default" size="sm" onClick={() => void openNext()}>
          Not now
        </Button>
      ) : (
        <span />
      )}
      <Anchor component={Link} to="/expired" c="dimmed" size="sm">
        Sign out
      </Anchor>
    </Group>
  )
}

const inGroups = (key: string) => key.replaceAll(/(.{4})(?=.)/g, '$1 ')

/** Light modules that a scanner needs around the code. */
const MARGIN = 4

/** A QR code rendered locally as SVG: the key never leaves the page. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => draw(text), [text])
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={200}
      height={200}
      shapeRendering="crispEdges"
    >
      {/* Scanners expect dark on light, also in dark mode. */}
      <rect width={size} height={size} fill="#fff" rx={2} />
      <path d={path} fill="#000" />
    </svg>
  )
}

function draw(text: string): { path: string; size: number } {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const count = code.getModuleCount()
  const modules = Array.from({ length: count * count }, (_, index) => ({
    row: Math.floor(index / count),
    column: index % count,
  }))
  const path = modules
    .filter(({ row, column }) => code.isDark(row, column))
    .map(({ row, column }) => `M${column + MARGIN} ${row + MARGIN}h1v1h-1z`)
    .join('')
  return { path, size: count + 2 * MARGIN }
}
