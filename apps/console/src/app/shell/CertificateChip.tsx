import { Badge } from '@mantine/core'
import { certificateWarning } from './certificate-warning.ts'
import { useLive } from '../live/live.ts'

export function CertificateChip() {
  const warning = certificateWarning(useLive((state) => state.counts?.days_until_cert_expires))
  if (warning === undefined) return null
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
      {warning}
    </Badge>
  )
}
