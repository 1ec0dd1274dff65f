/** Planning a day: how far it is, the best plan so far, and taking it. */
import { useEffect, useState } from 'react';
import { call, useAction, useRead } from '../api.ts';
import { Section, State, Trouble } from '../ui.tsx';
import type { Plan } from './shapes.ts';

interface PlanProps {
  readonly depot: string;
  readonly day: string;
  /** The one that is looked at; empty: none. */
  readonly plan: string;
  readonly onPlan: (plan: string) => void;
  readonly onAdopted: () => void;
}

const LOOK_EVERY_MS = 1_000;

export const PlanPart = ({ depot, day, plan, onPlan, onAdopted }: PlanProps) => {
  const [seconds, setSeconds] = useState(20);
  const [objective, setObjective] = useState('cost');
  const [scope, setScope] = useState('all');
  const start = useAction(async () => {
    const { planId } = await call<{ planId: string }>('POST', '/fleet/v1/plans', {
      depot,
      day,
      seconds,
      objective,
      scope,
    });
    onPlan(planId);
  });
  return (
    <Section title="Plan">
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          start.run();
        }}
      >
        <label>
          Seconds
          <input
            type="number"
            min={1}
            max={600}
            value={seconds}
            onChange={({ target }) => setSeconds(Number(target.value))}
          />
        </label>
        <label>
          Aim
          <select value={objective} onChange={({ target }) => setObjective(target.value)}>
            <option value="cost">lowest cost</option>
            <option value="vehicles">fewest vehicles</option>
            <option value="balanced">balanced routes</option>
          </select>
        </label>
        <label>
          Of
          <select value={scope} onChange={({ target }) => setScope(target.value)}>
            <option value="all">all that is not locked</option>
            <option value="open">what is open only</option>
          </select>
        </label>
        <button type="submit" className="main" disabled={start.busy}>
          Plan the day
        </button>
      </form>
      <Trouble error={start.error} />
      {plan !== '' && <Progress key={plan} id={plan} onPlan={onPlan} onAdopted={onAdopted} />}
    </Section>
  );
};

const Progress = ({ id, onPlan, onAdopted }: { readonly id: string } & Pick<PlanProps, 'onPlan' | 'onAdopted'>) => {
  const path = `/fleet/v1/plans/${encodeURIComponent(id)}`;
  const [isSolving, setSolving] = useState(true);
  const { reply, error, reload } = useRead<Plan>(path, isSolving ? LOOK_EVERY_MS : undefined);
  // One that was ended has its best plan a moment later.
  const isOver =
    reply !== undefined && reply.state !== 'solving' && (reply.state !== 'aborted' || reply.best !== undefined);
  useEffect(() => setSolving(!isOver), [isOver]);
  const abort = useAction(async () => {
    await call('POST', `${path}/abort`).finally(reload);
  });
  const adopt = useAction(async () => {
    await call('POST', `${path}/adopt`);
    onPlan('');
    onAdopted();
  });
  if (reply === undefined) return <Trouble error={error} />;
  const { state, progress, best } = reply;
  return (
    <div className="fleet-plan" role="status">
      <State word={state} />
      {progress !== undefined && (
        <>
          <progress value={progress.share} max={1} aria-label="Progress of the plan" />
          <span>
            {progress.vehicles} vehicles · {progress.unassigned} without a route · cost {progress.cost.toFixed(2)}
          </span>
        </>
      )}
      {state === 'solving' && (
        <button type="button" disabled={abort.busy} onClick={() => abort.run()}>
          Stop here
        </button>
      )}
      {(state === 'solved' || state === 'aborted') && best !== undefined && (
        <button type="button" className="main" disabled={adopt.busy} onClick={() => adopt.run()}>
          Adopt the plan
        </button>
      )}
      {state !== 'solving' && (
        <button type="button" className="quiet" onClick={() => onPlan('')}>
          Discard
        </button>
      )}
      {reply.error !== undefined && <p className="bad">{reply.error}</p>}
      <Trouble error={error ?? abort.error ?? adopt.error} />
    </div>
  );
};
