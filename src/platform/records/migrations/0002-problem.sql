-- Why something did not succeed is called a problem, in what is kept as well.
update dispatches set failure = replace(failure, '"trouble":{"code":', '"problem":{"code":') where failure is not null;
update calls set verdict = regexp_replace(verdict, '^(\{"failed":\{"as":"[a-z_]+",)"trouble":', '\1"problem":')
  where verdict is not null;
update carrier_tokens set refused = replace(refused, '"trouble":{"code":', '"problem":{"code":') where refused is not null;
