# What the pages' commands use. Once in each shell:  STACK=Andon; . docs/runbooks/on-call.sh
# They need AWS's command line, with credentials for the account. For the system of `make up`:
#   export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_DEFAULT_REGION=us-east-1
#   export AWS_ENDPOINT_URL=$(sed -n 's/.*"Endpoint": "\(.*\)".*/\1/p' .local/outputs.json)

: "${STACK:=Andon}"

# A request as whom TOKEN is of, an access token (how to get one: docs/deploy.md, A second factor): api "$API/faults"
# API=$(out ApiUrl) once. For the system of `make up`: TOKEN=$(make -s token ROLE=admin)
api() {
    curl -sS -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' "$@"
    echo
}

# The resources of one stack: type, logical id, name
resources() {
    aws cloudformation list-stack-resources --stack-name "$1" --output text \
        --query "StackResourceSummaries[].[ResourceType, LogicalResourceId, PhysicalResourceId]"
}

# An output of the stack, or of one that is nested in it: out ApiUrl
out() {
    for one in "$STACK" $(resources "$STACK" | awk '$1 == "AWS::CloudFormation::Stack" { print $3 }'); do
        aws cloudformation describe-stacks --stack-name "$one" \
            --query "Stacks[0].Outputs[?OutputKey=='$1'].OutputValue" --output text
    done | grep -v '^None$' | grep .
}

# The name of a resource, by its type and the beginning of its logical id: resource Lambda::Function boardListener
# It begins with the name of the package, whose nested stack the resource is in.
resource() {
    name=$(echo "$2" | tr '[:upper:]' '[:lower:]')
    resources "$STACK" | while read -r kind id made; do
        case "$kind $name" in
        "AWS::CloudFormation::Stack $(echo "$id" | tr '[:upper:]' '[:lower:]')"*)
            resources "$made" | while read -r kind inner made; do echo "$kind $id$inner $made"; done
            ;;
        *) echo "$kind $id $made" ;;
        esac
    done | awk -v kind="AWS::$1" -v name="$name" '$1 == kind && index(tolower($2), name) == 1 { print $3 }'
}

# What a function logged in the last minutes, one line for each call: log boardListener 60
log() {
    aws logs filter-log-events --log-group-name "$(resource Logs::LogGroup "${1}Logs")" --output text \
        --start-time $((($(date +%s) - ${2:-60} * 60) * 1000)) --query 'events[].[message]'
}

# The same, but only what went wrong: errors boardListener 60
errors() {
    log "$1" "${2:-60}" | grep -E '"level":"(ERROR|CRITICAL)"|"errors":\[[^]]|"failed":[1-9]|timed out|"status":"(timeout|error|failure)"|errorType|Runtime\.'
}

# The sum of a metric each minute of the last hour: metric AWS/Lambda Errors FunctionName=<name>
metric() {
    dimensions=""
    for one in "${@:3}"; do dimensions="$dimensions Name=${one%%=*},Value=${one#*=}"; done
    # shellcheck disable=SC2086  each dimension is a word of its own
    aws cloudwatch get-metric-statistics --namespace "$1" --metric-name "$2" --statistics Sum Maximum --period 60 \
        --start-time "$(($(date +%s) - 3600))" --end-time "$(date +%s)" ${dimensions:+--dimensions $dimensions} \
        --query 'sort_by(Datapoints, &Timestamp)[].[Timestamp, Sum, Maximum]' --output text
}

# The alarms of the stack that ring now, and since when
ringing() {
    aws cloudwatch describe-alarms --alarm-name-prefix "$STACK/" --state-value ALARM --output text \
        --query 'MetricAlarms[].[AlarmName, StateUpdatedTimestamp]'
}
