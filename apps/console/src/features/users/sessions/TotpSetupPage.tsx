import { Anchor, Button, Group } from '@mantine/core'
import { confirmTotp, setupTotp } from '@muster/contract/api/sessions'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import qrcode from 'qrcode-generator'
import { useMemo } from 'react'
import { MessagePage } from '../../../app/shell/MessagePage.tsx'
import { call, query } from '../../../app/api/api.ts'
import { describeError } from '../../../app/api/describe-error.ts'
import { notify } from '../../../app/shell/notify.ts'
import { meQuery } from '../../../app/api/queries.ts'
import { clearSignIn, takeNext } from '../../../app/session/session.ts'
import { CopyText } from '../../../ui/inputs/CopyText.tsx'
import { ErrorState, SkeletonRows } from '../../../ui/layout/States.tsx'
import { CodeForm } from './PasswordForm.tsx'
import classes from './TotpSetupPage.module.css'

/** Shows the key for an authenticator app and asks for a first code as proof. */
export function TotpSetupPage() {
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
      <ConfirmCode />
      <Leave />
    </MessagePage>
  )
}

function ConfirmCode() {
  const navigate = useNavigate()
  const confirm = async (twofactor: string) => {
    await call(confirmTotp, { body: { twofactor } })
    clearSignIn()
    notify('Two-factor sign-in is set up. Now sign in with a code.', { tone: 'positive' })
    void navigate({ to: '/login', replace: true })
  }
  return <CodeForm send={confirm} submitLabel="Confirm" />
}

/** Ways out: later, if allowed, or sign-out. */
function Leave() {
  const navigate = useNavigate()
  const { data: me } = useQuery(meQuery)
  return (
    <Group justify="space-between">
      {me?.totp_may_wait === true ? (
        <Button
          variant="default"
          size="sm"
          onClick={() => void navigate({ href: takeNext(), replace: true })}
        >
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
