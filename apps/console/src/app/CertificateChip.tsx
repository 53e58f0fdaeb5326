import { Badge } from '@mantine/core'
import { useLive } from './live.ts'

/** A certificate that ends this soon is worth a word. */
const WARN_DAYS = 15

export function CertificateChip() {
  const days = useLive((state) => state.counts?.days_until_cert_expires)
  if (days === undefined || days === null || days > WARN_DAYS) return null
  return (
    <Badge
      color="negative"
      variant="light"
      tt="none"
      tabIndex={0}
      role="status"
      style={{ flex: 'none' }}
      data-tip="Browsers and agents refuse the connection once the server's certificate has expired. Renew it."
    >
      {describeDays(days)}
    </Badge>
  )
}

function describeDays(days: number): string {
  if (days < 0) return 'Certificate expired'
  if (days === 0) return 'Certificate expires today'
  return `Certificate: ${days} ${days === 1 ? 'day' : 'days'} left`
}
