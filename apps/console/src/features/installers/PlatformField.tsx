import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { SegmentedControl } from '@mantine/core'
import type { Platform } from '@muster/contract/fields'
import { useId } from 'react'
import classes from './InstallAgent.module.css'
import { PLATFORMS } from './install-form.ts'

interface PlatformFieldProps {
  value: Platform
  onChange: (platform: Platform) => void
}

export function PlatformField({ value, onChange }: PlatformFieldProps) {
  const id = useId()
  return (
    <div>
      <span id={id} className={classes.label}>
        Platform
      </span>
      <SegmentedControl
        fullWidth
        aria-labelledby={id}
        data={[...PLATFORMS]}
        value={value}
        onChange={(chosen) => {
          const platform = PLATFORMS.find((one) => one.value === chosen)
          if (platform !== undefined) onChange(platform.value)
        }}
      />
    </div>
  )
}
