import '@mantine/core/styles/Alert.css'
import { Alert, Button, Loader } from '@mantine/core'
import { type AgentPackage, buildPackage, listPackages } from '@muster/contract/api/installers'
import { formatFileSize } from '@muster/rules/text/units'
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, query } from '../../app/api/api.ts'
import { CopyText } from '../../ui/inputs/CopyText.tsx'
import classes from './PackageState.module.css'

const packagesQuery = query(listPackages, {})

interface PackageStateProps {
  /** The package as the server described it with the command. */
  initial: AgentPackage
  /** The user hands the file on: it can be downloaded, and its hash compared. */
  download: boolean
}

/** The build of a package while it runs, and the finished package. Events of the server keep it current. */
export function PackageState({ initial, download }: PackageStateProps) {
  // An answer from before the command would show an older state.
  const { data, isFetchedAfterMount } = useQuery({ ...packagesQuery, staleTime: 0 })
  const queryClient = useQueryClient()
  const { platform, arch, format } = initial
  const current = data?.find((row) => row.platform === platform && row.arch === arch && row.format === format)
  const { build } = (isFetchedAfterMount ? current : undefined) ?? initial
  const again = useMutation({
    mutationFn: () => call(buildPackage, { body: { platform, arch, format } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: packagesQuery.queryKey }),
  })
  if (build.state === 'ready') return <ReadyPackage build={build} download={download} />
  if (build.state === 'building') {
    return (
      <div className={classes.box} role="status">
        <Loader size="sm" aria-hidden />
        <div className={classes.text}>
          <span className="strong">Building the package</span>
          <span className={classes.dim}>
            {build.progress} … {!download && 'The command waits for it.'}
          </span>
        </div>
      </div>
    )
  }
  return (
    <Alert color="negative" title="The package could not be built">
      <p className={classes.reason}>
        {build.state === 'failed' ? build.error : 'The server has removed the package.'}
      </p>
      <Button variant="default" loading={again.isPending} onClick={() => again.mutate()}>
        Build package
      </Button>
    </Alert>
  )
}

type Ready = Extract<AgentPackage['build'], { state: 'ready' }>

function ReadyPackage({ build, download }: { build: Ready; download: boolean }) {
  const { file, path, sha256, bytes, signed } = build
  return (
    <div className={classes.box}>
      <div className={classes.text}>
        <span className={classes.name}>
          <span className="mono">{file}</span>
          <span className={classes.dim}>{formatFileSize(bytes)}</span>
        </span>
        {download && (
          <span className={classes.dim}>
            SHA-256 <CopyText text={sha256} shown={`${sha256.slice(0, 16)}…`} label="Copy SHA-256" />
          </span>
        )}
        {!signed && (
          <span className={classes.unsigned}>
            <IconAlertTriangle size={14} stroke={1.75} aria-hidden />
            {download
              ? 'Unsigned: machines may show a warning or refuse the package.'
              : 'Unsigned: application control policies may refuse the package.'}
          </span>
        )}
      </div>
      {download && (
        <Button
          component="a"
          href={path}
          download={file}
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.75} aria-hidden />}
        >
          Download
        </Button>
      )}
    </div>
  )
}
