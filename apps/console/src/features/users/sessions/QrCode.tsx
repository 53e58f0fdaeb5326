import qrcode from 'qrcode-generator'
import { useMemo } from 'react'

/** Light modules that a reader needs around the code. */
const MARGIN = 4

/** A QR code drawn here, as SVG: the key in it goes to nobody else. */
export function QrCode({ text, label }: { text: string; label: string }) {
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
      {/* Readers expect dark on light, also in dark mode. */}
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
