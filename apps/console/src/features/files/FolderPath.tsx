import { stepsOfRaw } from '@muster/rules/raw-path'
import classes from './FilesPane.module.css'

/** Where one is, with every folder on the way to go back to. */
export function FolderPath({ path, onOpen }: { path: string; onOpen: (path: string) => void }) {
  const steps = stepsOfRaw(path)
  return (
    <nav aria-label="Folder" className={classes.path}>
      {steps.map((step, at) => (
        <span key={step.path}>
          {at > 1 && <span aria-hidden>/</span>}
          <button
            type="button"
            className={classes.step}
            aria-current={at === steps.length - 1 ? 'location' : undefined}
            onClick={() => onOpen(step.path)}
          >
            {step.name}
          </button>
        </span>
      ))}
    </nav>
  )
}
